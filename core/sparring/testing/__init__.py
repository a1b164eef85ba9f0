"""For those who write plugins: fakes and conformance kits."""
