/**
 * For each check of the conformance probe: the promise in `docs/security.md` that a token breaks if it fails the check.
 */
const broken: Readonly<Record<string, string>> = {
  'unextractable-never-wraps': 'An attacker with the PIN can take every key out of the token.',
  'strict-kek-hides': 'An attacker with the PIN can read every key of the database.',
  'backup-kek-hides': 'An attacker with the PIN can read the keys that allow backup.',
  'kek-never-encrypts': 'An attacker with the PIN can make blobs of known keys.',
  'kek-never-decrypts': 'An attacker with the PIN can read the keys of the database.',
  'trusted-wrapping':
    'An attacker with the PIN can take the backup KEK out, without the SO PIN and without a ceremony.',
  'keks-stay': 'An attacker with the PIN can take key-encryption keys out, and read with them what the database holds.',
  'allowed-mechanisms':
    'An attacker with the PIN can use vault keys by other mechanisms, and forge what they authenticate.',
  'copies-refused': 'An attacker with the PIN can copy vault keys: what was deleted may still be read.',
  'tampered-tag-is-data': 'Ciphertexts that were changed may be accepted as genuine.',
}

export function promiseBrokenBy(check: string): string {
  const promise = broken[check]
  const readme = 'See softhsm/README.md on what the appliance needs of a token.'
  return promise === undefined ? readme : `${promise} ${readme}`
}
