"""Quality-diversity: the worst behaviour of the app in every cell of what may be asked."""
