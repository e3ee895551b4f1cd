import { expect, it } from 'vitest'
import { configurationFiles, pathsIn, secretOptions } from '../../../src/config/configured-paths.ts'
import { jsonSchema, type SchemaNode } from '../../../src/config/options.ts'

/** A configuration with every path that the schema has, and one member in each list of them. */
function everyPath(node: SchemaNode): unknown {
  if (node.format === 'path') return '/a/path'
  if (node.items !== undefined) return [everyPath(node.items)]
  return Object.fromEntries(Object.entries(node.properties ?? {}).map(([name, member]) => [name, everyPath(member)]))
}

const configuration = everyPath(jsonSchema())

it('the files that go into a backup are these alone: no private key, PIN or URL with a pass phrase', () => {
  expect(configurationFiles(configuration).map(({ option }) => option)).toEqual([
    'tls.certificate',
    'hsm.softhsmConf',
    'audit.forward.syslog.ca',
    'audit.forward.syslog.certificate',
    'audit.witness.syslog.ca',
    'audit.witness.syslog.certificate',
    'audit.witness.timestamp.ca',
    'audit.witness.timestamp.serverCa',
    'login.webauthn.attestation.ca',
    'service.issuers.0.jwksFile',
    'service.issuers.0.jwksCa',
    'smartcard.clientCa',
    'smartcard.intermediates',
    'smartcard.crls.0',
  ])
})

it('each option that holds a secret is one of the schema', () => {
  expect(pathsIn(configuration).map(({ option }) => option)).toEqual(expect.arrayContaining([...secretOptions]))
})
