"""The demo finance system: compliance clues, bank reconciliation and vouchers."""
