"""The oracle ``fitness``: values by which a search climbs, and a formula that says what fails."""
