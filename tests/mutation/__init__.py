"""How much of the trust core the tests really hold: small changes of its code, one at a time, and who notices."""
