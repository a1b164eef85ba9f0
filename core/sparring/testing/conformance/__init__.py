"""One conformance kit per interface, under the same file names as `sparring.interfaces`."""
