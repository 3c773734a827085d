"""Why a run ended as it did: from what lies in its directory to one code with its evidence."""
