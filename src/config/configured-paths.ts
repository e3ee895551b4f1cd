import { jsonSchema, type SchemaNode } from './options.ts'

/**
 * The same configuration with every path that the schema marks as one replaced; `option` is its dotted name, with the
 * number of a member of a list.
 */
export function mapPaths(configuration: unknown, replace: (path: string, option: string) => string): unknown {
  return mapNode(jsonSchema, configuration, '', replace)
}

function mapNode(
  node: SchemaNode,
  value: unknown,
  option: string,
  replace: (path: string, option: string) => string,
): unknown {
  if (node.format === 'path') return typeof value === 'string' && value !== '' ? replace(value, option) : value
  const { items } = node
  if (items !== undefined && Array.isArray(value))
    return value.map((item, at) => mapNode(items, item, `${option}.${at}`, replace))
  if (node.properties === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      mapNode(node.properties?.[key] ?? {}, member, option === '' ? key : `${option}.${key}`, replace),
    ]),
  )
}

/** Every path of a configuration with its option. */
export function pathsIn(configuration: unknown): { readonly option: string; readonly path: string }[] {
  const found: { readonly option: string; readonly path: string }[] = []
  mapPaths(configuration, (path, option) => {
    found.push({ option, path })
    return path
  })
  return found
}

/** Files that hold a secret: they are kept elsewhere than what they open. */
export const secretOptions: readonly string[] = [
  'hsm.pinFile',
  'tls.key',
  'audit.forward.syslog.key',
  'audit.witness.syslog.key',
  'store.postgresUrlFile',
]

/** What is no file of the configuration: programs, sockets, and where data lies. */
const elsewhere =
  /^(?:hsm\.(?:module|sockets\.\d+|keyMakerSocket|keeper\.(?:socket|operatorSocket|state)|tokenDirectory)|store\.sqlite|audit\.directory|backup\.directory)$/

/** The files that the configuration names beside itself, such as certificates, without those that hold a secret. */
export function configurationFiles(configuration: unknown): { readonly option: string; readonly path: string }[] {
  return pathsIn(configuration).filter(({ option }) => !elsewhere.test(option) && !secretOptions.includes(option))
}
