"""Writers: what puts the features of a case into one utterance."""
