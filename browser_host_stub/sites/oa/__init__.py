"""The demo office automation system: approvals, meeting rooms, notices, seals."""
