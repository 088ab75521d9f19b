"""The demo ERP: login, finance report, asynchronous export."""
