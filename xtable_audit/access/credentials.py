"""Credentials as the AWS SDKs find them: environment, profile, assumed role, web identity, container, instance."""

from __future__ import annotations

import os
from dataclasses import replace

from xtable_audit.access.s3 import S3
from xtable_audit.model.problem import Problem


def by_default_chain(endpoint: str | None = None, profile: str | None = None) -> S3:
    """The S3 at `endpoint` (None: that of AWS_ENDPOINT_URL_S3, else AWS itself) with the credential of boto's chain.

    `profile` is None for that of AWS_PROFILE, or none. Temporary credentials are not renewed. Raises Problem if the
    chain finds no credential, or an unusable one.
    """
    from botocore.exceptions import BotoCoreError  # late: a local table needs none of it
    from botocore.session import Session

    try:
        session = Session(profile=profile)
        found = session.get_credentials()
        frozen = found.get_frozen_credentials() if found else None
        region = os.environ.get("AWS_REGION") or session.get_config_variable("region")
    except BotoCoreError as error:
        raise Problem(f"the AWS credential cannot be used: {error}") from error
    if frozen is None or not frozen.access_key or not frozen.secret_key:
        raise Problem(
            f"{endpoint or 'S3'} needs a credential: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
        )
    environment = S3.from_environment()
    return replace(
        environment,
        endpoint=endpoint or environment.endpoint,
        access_key=frozen.access_key,
        secret_key=frozen.secret_key,
        session_token=frozen.token,
        region=region or environment.region,
    )
