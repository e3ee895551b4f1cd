import { allOptions, jsonSchema, type SchemaNode } from './options.ts'

/** The documents that are generated from the schema: file name in `config/` → content. */
export function configDocuments(): Readonly<Record<string, string>> {
  return {
    'README.md': readme(),
    'strongroom.schema.json': `${JSON.stringify(jsonSchema(), null, 2)}\n`,
    'strongroom.example.json': `${JSON.stringify(example, null, 2)}\n`,
  }
}

/** The example is for a machine with systemd and SoftHSM2, and matches the units in `systemd/`. */
const example = {
  $schema: './strongroom.schema.json',
  http: { port: 443 },
  tls: { certificate: '/etc/strongroom/tls/server.pem', key: '${CREDENTIALS_DIRECTORY}/tls-key' },
  hsm: {
    module: '/usr/lib/softhsm/libsofthsm2.so',
    token: 'pkcs11:token=strongroom',
    pinFile: '${CREDENTIALS_DIRECTORY}/pin',
    sockets: ['/run/strongroom-token/1.sock', '/run/strongroom-token/2.sock'],
    spawn: false,
    softhsmConf: '/var/lib/strongroom-token/softhsm2.conf',
    tokenDirectory: '/var/lib/strongroom-token/tokens',
  },
  store: { sqlite: '/var/lib/strongroom/strongroom.db' },
  audit: { directory: '/var/lib/strongroom/audit' },
}

const preface = `# Configuration

One JSON file, by default \`/etc/strongroom/strongroom.json\`; \`strongroom.example.json\` is one to start from, and
\`strongroom.schema.json\` lets an editor complete and check it (name it as \`$schema\`).

- Relative paths count from the folder of the configuration file.
- Secrets are never in the file itself: options name files that hold them. Such a file must be readable only by its owner.
- A path may begin with \`\${CREDENTIALS_DIRECTORY}/\`, to name a credential that systemd hands to the service (\`LoadCredential=\`).
- The sections \`tls\`, \`hsm\`, \`store\` and \`audit\` are needed. In any section, _required_ options must be given; all else may be left out.
- An option that does not exist is an error; so is a value of the wrong type. \`strongroomd --config FILE --check\` names them all.
- The file is read at the start. SIGHUP reads the certificate again, not the configuration.

This page is written from the schema by \`scripts/generate-docs\`.
`

function readme(): string {
  const sections = Object.entries(jsonSchema().properties ?? {}).filter(([, node]) => node.properties !== undefined)
  return [preface, ...sections.map(([name, node]) => section(name, node))].join('\n')
}

function section(name: string, node: SchemaNode): string {
  const rows = allOptions(node, `${name}.`)
    .flatMap((option) => [option, ...allOptions(option.node.items ?? {}, `${option.name}[].`)])
    .map(
      ({ name, node, required }) =>
        `| \`${name}\` | ${typeOf(node)} | ${defaultOf(node, required)} | ${node.description ?? ''} |\n`,
    )
  return `## ${name}\n\n${node.description ?? ''}\n\n| option | type | default | meaning |\n| --- | --- | --- | --- |\n${rows.join('')}`
}

function typeOf(node: SchemaNode): string {
  if (node.properties !== undefined) return 'section'
  if (node.enum !== undefined) return node.enum.map((value) => `\`${value}\``).join(' or ')
  if (node.items !== undefined) return node.items.properties ? 'list of sections' : `list of ${typeOf(node.items)}`
  if (node.format === 'path') return 'path'
  if (node.type !== 'integer') return node.type === 'boolean' ? '`true` or `false`' : (node.type ?? '')
  const { minimum, maximum, exclusiveMinimum } = node
  const least = exclusiveMinimum === undefined ? minimum : exclusiveMinimum + 1
  return maximum === Number.MAX_SAFE_INTEGER ? `integer, ${least} or more` : `integer, ${least} to ${maximum}`
}

function defaultOf(node: SchemaNode, required: boolean): string {
  if (node.default !== undefined && node.properties === undefined) return `\`${JSON.stringify(node.default)}\``
  return required ? 'required' : '–'
}
