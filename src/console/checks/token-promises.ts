/** Which promise of `docs/security.md` a token breaks that fails a check of the conformance probe, and for whom. */
const broken: Readonly<Record<string, string>> = {
  'unextractable-never-wraps': 'Whoever holds the PIN takes every key out of the token.',
  'strict-kek-hides': 'Whoever holds the PIN reads every key of the database.',
  'backup-kek-hides': 'Whoever holds the PIN reads the keys that allow backup.',
  'kek-never-encrypts': 'Whoever holds the PIN makes blobs of known keys.',
  'kek-never-decrypts': 'Whoever holds the PIN reads the keys of the database.',
  'trusted-wrapping': 'Whoever holds the PIN takes the backup KEK out, without the SO PIN and without a ceremony.',
  'keks-stay': 'Whoever holds the PIN takes key-encryption keys out, and reads with them what the database holds.',
  'allowed-mechanisms': 'Whoever holds the PIN uses vault keys by other mechanisms, and forges what they authenticate.',
  'copies-refused': 'Whoever holds the PIN copies vault keys: what was deleted may still be read.',
  'tampered-tag-is-data': 'Ciphertexts that were changed may be taken for good.',
}

export function promiseBrokenBy(check: string): string {
  const promise = broken[check]
  const readme = 'See softhsm/README.md on what the appliance needs of a token.'
  return promise === undefined ? readme : `${promise} ${readme}`
}
