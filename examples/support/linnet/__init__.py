"""The support assistant of Linnet, a mail-order shop: it reads, keeps a policy, and answers."""
