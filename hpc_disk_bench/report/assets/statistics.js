// Medians, intervals and how numbers are written, for what the page computes again when the reader
// filters or compares. The rules are those of hpc_disk_bench/comparison/statistics.py, groups.py and
// report/units.py, where they are explained; a test holds the two to the same numbers.
(function () {
  "use strict";
  const ENOUGH = 3, ENOUGH_FOR_OUTLIERS = 5, OUTLIER_SCORE = 3.5;
  const TAIL = 0.025, REACH = 5, NEIGHBOURS = 50, ROUNDING = 1e-9, HALVINGS = 60;
  const DASH = "\u2013", TIMES = "\u00d7", THIN = "\u202f";

  const finite = (values) => values.filter((value) => Number.isFinite(value));
  const rising = (values) => finite(values).sort((a, b) => a - b);

  const logFactorials = [0];
  function logChoose(n, k) {
    while (logFactorials.length <= n) {
      logFactorials.push(logFactorials.at(-1) + Math.log(logFactorials.length));
    }
    return logFactorials[n] - logFactorials[k] - logFactorials[n - k];
  }

  function quantile(values, share) {
    const sorted = rising(values);
    if (!sorted.length) return NaN;
    const at = share * (sorted.length - 1), low = Math.floor(at);
    return sorted[low] + (at - low) * ((sorted[low + 1] ?? sorted[low]) - sorted[low]);
  }
  const median = (values) => quantile(values, 0.5);

  function atLeast(n, wanted, rank) {
    if (rank === n) return 1;
    const last = Math.min(n, wanted + 4 * REACH * Math.floor(Math.sqrt(n) + 1));
    let sum = 0;
    for (let k = wanted; k <= last; k += 1) {
      sum += Math.exp(logChoose(n, k) + k * Math.log(rank / n) + (n - k) * Math.log1p(-rank / n));
    }
    return Math.min(sum, 1);
  }

  // Which medians resamples have, rising, and how often: [[median, share], ...].
  function resampledMedians(sorted) {
    const n = sorted.length, middle = Math.floor((n + 1) / 2), half = Math.floor(n / 2);
    const near = Math.floor(REACH * Math.sqrt(n)) + 1;
    const first = Math.max(1, half - near), last = Math.min(n, half + 1 + near);
    const found = [];
    let before = 0;
    for (let i = first; i <= last; i += 1) {
      const reached = atLeast(n, middle, i), at = reached - before;
      before = reached;
      if (n % 2) {
        found.push([sorted[i - 1], at]);
        continue;
      }
      const ways = Math.exp(logChoose(n, middle) - n * Math.log(2));
      const power = (ranks) => ((2 * ranks) / n) ** middle;
      const below = power(i) - power(i - 1);
      found.push([sorted[i - 1], Math.max(0, at - ways * below * power(n - i))]);
      for (let j = i + 1; j <= Math.min(last, i + NEIGHBOURS); j += 1) {
        found.push([(sorted[i - 1] + sorted[j - 1]) / 2,
          ways * below * (power(n - j + 1) - power(n - j))]);
      }
    }
    const all = found.reduce((sum, pair) => sum + pair[1], 0);
    for (const pair of found) pair[1] /= all;
    return found.sort((a, b) => a[0] - b[0]);
  }

  function firstReaching(pairs, share) {
    let sum = 0;
    for (const [value, often] of pairs) {
      sum += often;
      if (sum >= share - ROUNDING) return value;
    }
    return pairs.at(-1)[0];
  }

  function spread(values) {
    const sorted = rising(values), n = sorted.length;
    if (n < ENOUGH) return { n, median: median(sorted), low: NaN, high: NaN };
    const medians = resampledMedians(sorted);
    return {
      n, median: median(sorted),
      low: firstReaching(medians, TAIL), high: firstReaching(medians.toReversed(), TAIL),
    };
  }

  function ratio(over, under) {
    const tops = rising(over), bottoms = rising(under), n = Math.min(tops.length, bottoms.length);
    if (!n || median(bottoms) <= 0) return { n, median: NaN, low: NaN, high: NaN };
    const middle = median(tops) / median(bottoms);
    if (n < ENOUGH) return { n, median: middle, low: NaN, high: NaN };
    const sides = [resampledMedians(tops), resampledMedians(bottoms)];
    return { n, median: middle, low: ratioAt(...sides, TAIL), high: ratioAt(...sides, 1 - TAIL) };
  }

  function ratioAt(above, below, share) {
    const bottoms = below.filter(([value]) => value > 0);
    const often = bottoms.reduce((sum, pair) => sum + pair[1], 0);
    const positive = above.filter(([value]) => value > 0);
    if (!positive.length) return 0;
    let low = Math.log(positive[0][0] / bottoms.at(-1)[0]) - 1e-9;
    let high = Math.log(positive.at(-1)[0] / bottoms[0][0]) + 1e-9;
    for (let k = 0; k < HALVINGS; k += 1) {
      const middle = (low + high) / 2, limit = Math.exp(middle);
      let sum = 0, reached = 0, next = 0;
      for (const [bottom, share_] of bottoms) {
        while (next < above.length && above[next][0] <= limit * bottom) reached += above[next++][1];
        sum += (share_ / often) * reached;
      }
      if (sum >= share - ROUNDING) high = middle;
      else low = middle;
    }
    return Math.exp(high);
  }

  const decidable = (one) => one.n >= ENOUGH;

  function verdict(one) {
    if (!decidable(one) || Number.isNaN(one.low)) return "not decidable";
    return one.low > 1 ? "better" : one.high < 1 ? "worse" : "noise";
  }

  function outliers(values) {
    const logs = values.map((value) => (value > 0 ? Math.log(value) : NaN));
    const middle = median(logs), distances = logs.map((one) => Math.abs(one - middle));
    const typical = median(distances);
    if (finite(logs).length < ENOUGH_FOR_OUTLIERS || !(typical > 0)) return values.map(() => false);
    return distances.map((one) => (0.6745 * one) / typical > OUTLIER_SCORE);
  }

  function number(value, digits = 3) {
    if (!Number.isFinite(value)) return DASH;
    if (value === 0) return "0";
    const shown = Math.abs(value) < 10 ** digits ? Number(value.toPrecision(digits)) : value;
    const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(shown))));
    const [before, rest] = shown.toFixed(places).split(".");
    const grouped = before.replace(/\B(?=(\d{3})+$)/g, THIN);
    return rest ? `${grouped}.${rest}` : grouped;
  }

  const whole = (value) => value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, THIN);

  window.HDB.statistics = {
    ENOUGH, spread, ratio, verdict, outliers, median, quantile, decidable, finite, number, whole, DASH,
    factor: (value) => (Number.isFinite(value) ? `${TIMES}${number(value, 2)}` : DASH),
    percent: (share) => !Number.isFinite(share) ? DASH
      : share >= 0.095 ? `${(100 * share).toFixed(0)} %` : `${Number((100 * share).toPrecision(2))} %`,
    count: (amount, noun) => `${amount === 0 ? "no" : whole(amount)} ${noun}${amount === 1 ? "" : "s"}`,
    interval: (one, digits = 3) => decidable(one)
      ? `${number(one.median, digits)} [${number(one.low, digits)}${DASH}${number(one.high, digits)}]`
      : number(one.median, digits),
  };
})();
