"""What vLLM itself computes of prompts: ids, log-probabilities, and the state of every layer.

    python vllm_states.py JOB OUT

JOB is JSON: a list of {"name", "model", "chats"}, each chat a list of messages whose last is continued. OUT
gets <name>-<number>.npz for every chat. Runs in a process of its own, since vLLM stays in memory.
"""

import json
import sys
from pathlib import Path

import numpy as np


class Watched:
    """Keeps what the layers of a vLLM language model read, and what its last norm gives, in the next pass."""

    def __init__(self):
        self.states = {}

    def attach(self, model):
        """Hook into the model of a worker."""
        text = model.get_language_model().model
        for number, layer in enumerate(text.layers):
            layer.register_forward_pre_hook(self._before(number), with_kwargs=True)
        text.norm.register_forward_hook(self._behind(len(text.layers)))

    def _before(self, layer):
        def hook(_module, given, named):
            values = dict(zip(("positions", "hidden_states", "residual"), given, strict=False)) | named
            hidden, residual = values["hidden_states"], values["residual"]
            # vLLM adds the residual inside the layer, and in place.
            self.states[layer] = (hidden if residual is None else hidden + residual).clone()

        return hook

    def _behind(self, layer):
        def hook(_module, _given, output):
            self.states[layer] = (output[0] if isinstance(output, tuple) else output).clone()

        return hook


def main(job, out):
    """Read the chats of every model of the job."""
    for one in json.loads(Path(job).read_bytes()):
        read(one["name"], one["model"], one["chats"], Path(out))


def read(name, model, chats, out):
    """Put each chat through vLLM once and write what it computed."""
    from vllm import LLM, SamplingParams
    from vllm.distributed.parallel_state import cleanup_dist_env_and_memory

    engine = LLM(
        model,
        dtype="float32",
        enforce_eager=True,
        enable_prefix_caching=False,
        max_model_len=1024,
        max_num_seqs=1,
        max_num_batched_tokens=1024,
        limit_mm_per_prompt={"image": 4, "video": 0},
    )
    watched = Watched()
    engine.apply_model(watched.attach)
    params = SamplingParams(temperature=0, max_tokens=1, prompt_logprobs=1)
    for number, chat in enumerate(chats):
        given = engine.chat(
            [chat], params, use_tqdm=False, add_generation_prompt=False, continue_final_message=True
        )[0]
        ids = given.prompt_token_ids
        logprobs = [
            np.nan,
            *(at[token].logprob for at, token in zip(given.prompt_logprobs[1:], ids[1:], strict=True)),
        ]
        states = {f"state_{layer}": state[: len(ids)].numpy() for layer, state in watched.states.items()}
        np.savez(out / f"{name}-{number}.npz", ids=ids, logprobs=logprobs, **states)
    engine.llm_engine.engine_core.shutdown()
    del engine
    cleanup_dist_env_and_memory()


if __name__ == "__main__":
    main(*sys.argv[1:])
