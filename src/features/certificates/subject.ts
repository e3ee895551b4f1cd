import type { Name } from '@peculiar/x509'

/** The fields of a subject under their customary short names; a field that is there several times is an array. */
export type CertificateSubject = Readonly<Record<string, string | readonly string[]>>

/** Names that differ from those of @peculiar/x509, as OpenSSL has them; what has no name keeps its object identifier. */
const shortNames: Readonly<Record<string, string>> = {
  E: 'emailAddress',
  G: 'GN',
  T: 'title',
  '2.5.4.5': 'serialNumber',
  '2.5.4.97': 'organizationIdentifier',
  '0.9.2342.19200300.100.1.1': 'UID',
}

/** From the structure of the name and never from its text: a CN may hold what looks like another field. */
export function subjectOf(name: Name): CertificateSubject {
  const fields = new Map<string, string[]>()
  for (const relativeName of name.toJSON()) {
    for (const [type, values] of Object.entries(relativeName)) {
      const field = shortNames[type] ?? type
      fields.set(field, [...(fields.get(field) ?? []), ...values])
    }
  }
  return Object.fromEntries([...fields].map(([field, values]) => [field, only(values)]))
}

function only(values: readonly string[]): string | readonly string[] {
  const [first] = values
  return first !== undefined && values.length === 1 ? first : values
}
