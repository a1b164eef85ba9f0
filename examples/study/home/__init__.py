"""Lark, a smart home: it switches lights, heating, blinds and fans in six rooms."""
