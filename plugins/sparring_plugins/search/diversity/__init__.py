"""How different failures are: likeness of texts, clusters, interactions of features, kinds."""
