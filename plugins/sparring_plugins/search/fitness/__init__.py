"""How good an app was in one case, as a number (role ``fitness``)."""
