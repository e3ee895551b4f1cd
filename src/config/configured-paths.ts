import { z } from 'zod'
import { configSchema } from './schema.ts'

/**
 * Replaces every path in a configuration, as marked in the schema. `option` is the dotted name of the path's option,
 * with the index for a member of a list.
 */
export function mapPaths(configuration: unknown, replace: (path: string, option: string) => string): unknown {
  return mapValue(configSchema, configuration, '', replace)
}

/** @param schema undefined for an option that does not exist */
function mapValue(
  schema: unknown,
  value: unknown,
  option: string,
  replace: (path: string, option: string) => string,
): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return mapValue(schema.unwrap(), value, option, replace)
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.map((item, at) => mapValue(schema.element, item, `${option}.${at}`, replace))
  if (schema instanceof z.ZodString && schema.meta()?.['format'] === 'path')
    return typeof value === 'string' && value !== '' ? replace(value, option) : value
  if (!(schema instanceof z.ZodObject) || typeof value !== 'object' || value === null || Array.isArray(value))
    return value
  const members: Readonly<Record<string, unknown>> = schema.shape
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      mapValue(members[key], member, option === '' ? key : `${option}.${key}`, replace),
    ]),
  )
}

/** All paths in a configuration, with their options. */
export function pathsIn(configuration: unknown): { readonly option: string; readonly path: string }[] {
  const found: { readonly option: string; readonly path: string }[] = []
  mapPaths(configuration, (path, option) => {
    found.push({ option, path })
    return path
  })
  return found
}

/**
 * Options that name files with secrets. Backups leave these files out, because they must be kept apart from the data
 * that they unlock.
 */
export const secretOptions: readonly string[] = [
  'hsm.pinFile',
  'tls.key',
  'audit.forward.syslog.key',
  'audit.witness.syslog.key',
  'store.postgresUrlFile',
]

/** Options that do not name files of the configuration: programs, sockets and data. */
const elsewhere =
  /^(?:hsm\.(?:module|sockets\.\d+|keyMakerSocket|keeper\.(?:socket|operatorSocket|state)|tokenDirectory)|store\.sqlite|audit\.directory|backup\.directory)$/

/** The files that the configuration names, such as certificates, without files of secrets. */
export function configurationFiles(configuration: unknown): { readonly option: string; readonly path: string }[] {
  return pathsIn(configuration).filter(({ option }) => !elsewhere.test(option) && !secretOptions.includes(option))
}
