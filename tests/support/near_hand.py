"""Workers in this process, in place of those of a cluster."""

import asyncio
import pickle

from lvqa_eval.distributed.crew import HandLostError
from lvqa_eval.distributed.worker import Worker


def travelled(what):
    """Return what arrives at the other end; whatever goes between driver and workers must survive."""
    return pickle.loads(pickle.dumps(what))


class NearHand:
    """The hand of a worker in this process; killed, it answers nothing more."""

    def __init__(self, labour):
        self.worker = Worker(labour)
        self.sent = set()
        self.gone = asyncio.Event()

    async def _answer(self, call):
        answer, gone = asyncio.ensure_future(call), asyncio.ensure_future(self.gone.wait())
        try:
            await asyncio.wait([answer, gone], return_when=asyncio.FIRST_COMPLETED)
            if gone.done():
                raise HandLostError("killed")
            return travelled(answer.result())
        finally:
            answer.cancel()
            gone.cancel()

    def start(self, demand):
        return self._answer(self.worker.start(demand))

    def events(self):
        return self._answer(self.worker.events())

    def stop(self):
        return self._answer(self.worker.stop())

    def give(self, unit):
        self._send(self.worker.give(travelled(unit)))

    def drain(self):
        self._send(self.worker.drain())

    def _send(self, call):
        task = asyncio.ensure_future(call)
        self.sent.add(task)
        task.add_done_callback(self.sent.discard)

    def kill(self):
        self.gone.set()


class NearCluster:
    """One machine without GPUs and with room for two workers; both of them are in this process."""

    nodes = 1
    has_gpus = False

    def places(self, cpus, gpus):
        return 2

    def hand(self, labour, *, cpus, gpus):
        return NearHand(travelled(labour))
