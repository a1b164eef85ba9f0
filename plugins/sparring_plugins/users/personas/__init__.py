"""What simulated users are like: personas with traits that can be measured."""
