"""The page's own storage: that of the committed origin of the main document, and of no other."""

from __future__ import annotations

from browser_host_stub.chromium.run import Handlers, Run
from browser_host_stub.driver import JsonObject
from browser_host_stub.scrub import stored_value
from sgclaw.protocol import params as p


async def storage_set(run: Run) -> JsonObject:
    """Write one item of the local storage and read it back."""
    params = run.located.params
    if not isinstance(params, p.StorageSet):
        raise TypeError(params)
    await run.in_page("writeItem", params.key, params.value)
    return {"stored": True}


async def storage_get(run: Run) -> JsonObject:
    """Read one item of the local storage; what is a secret by its name or by its looks is withheld."""
    params = run.located.params
    if not isinstance(params, p.StorageGet):
        raise TypeError(params)
    value = (await run.in_page("readItem", params.key))["value"]
    return {"value": stored_value(params.key, value if isinstance(value, str) else None)}


async def clear_storage(run: Run) -> JsonObject:
    """Empty local storage, session storage and IndexedDB of the page's origin; cookies and files stay.

    Whoever clears storage wants a fresh page, not to be signed out: that is `logout`.
    """
    await run.in_page("clearItems")
    of_origin = {"origin": run.located.origin, "storageTypes": "indexeddb"}
    await run.page.session.send("Storage.clearDataForOrigin", of_origin)
    return {"cleared": True}


HANDLERS: Handlers = {"storageSet": storage_set, "storageGet": storage_get, "clearStorage": clear_storage}
