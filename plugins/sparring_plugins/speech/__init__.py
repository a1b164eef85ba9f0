"""Speaking and hearing: texts as sound, and sound as texts, by programs on this machine."""
