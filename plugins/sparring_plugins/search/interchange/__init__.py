"""Models of PICT, ACTS and STELLAR as feature spaces, and feature spaces as such models."""
