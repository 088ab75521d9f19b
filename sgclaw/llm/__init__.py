"""The models room: one way to ask a language model, whoever provides it.

`providers.make_model` makes the `Model` that the settings name. Every model goes through `careful`, which redacts what
is sent, keeps time, tries again and counts; the modules beside it only translate (`claude`, `openai_like`) or recite
(`scripted`). The providers' own packages take seconds to load: they are imported when the first call is made.
"""
