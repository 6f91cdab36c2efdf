import pytest

from lvqa_eval.serving.endpoint import AddressError, named_endpoint


@pytest.mark.parametrize(
    ("address", "name", "url"),
    [
        ("org/model@http://host:8000/v1", "org/model", "http://host:8000/v1"),
        ("model@https://openrouter.ai/api/v1", "model", "https://openrouter.ai/api/v1"),
        ("org/model@main@http://127.0.0.1:8000", "org/model@main", "http://127.0.0.1:8000"),
        (" model @ http://host ", "model", "http://host"),
    ],
)
def test_a_model_and_its_server(address, name, url):
    assert named_endpoint(address) == (name, url)


@pytest.mark.parametrize(
    "address", ["model", "http://host:8000/v1", "@http://host", "m@ftp://host", "m@http", ""]
)
def test_what_names_no_model_or_no_server_is_refused(address):
    with pytest.raises(AddressError, match=r"judge: found .*, needed NAME@URL such as"):
        named_endpoint(address)


def test_keys_do_not_stand_in_addresses():
    with pytest.raises(AddressError, match="keys come from the environment"):
        named_endpoint("model@http://user:secret@host:8000/v1")
