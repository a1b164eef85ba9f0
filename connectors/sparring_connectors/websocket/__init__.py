"""The connector `websocket`: apps that talk over a WebSocket, described in YAML."""
