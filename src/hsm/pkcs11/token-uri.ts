import { Fault } from '../../fault.ts'

/** What a PKCS#11 URI says about a token; at least one of label and serial is there. */
export interface TokenSelector {
  readonly token?: string
  readonly serial?: string
  readonly manufacturer?: string
  readonly model?: string
}

const selectors = ['token', 'serial', 'manufacturer', 'model'] as const

/**
 * Reads the path attributes of a PKCS#11 URI (RFC 7512 §2.3) that name a token. Throws `hsm.unavailable` when the text is no
 * such URI, has an attribute that does not name a token, or names neither label nor serial: a slot number alone would do
 * after the next reboot for another token.
 */
export function parseTokenUri(uri: string): TokenSelector {
  if (!uri.startsWith('pkcs11:')) throw refuse(uri, 'does not begin with "pkcs11:"')
  const path = uri.slice('pkcs11:'.length).split('?')[0] ?? ''
  const found: Record<string, string> = {}
  for (const part of path.split(';').filter((part) => part !== '')) {
    const [name, value] = splitOnce(part)
    if (value === undefined) throw refuse(uri, `has "${part}" without "="`)
    if (!(selectors as readonly string[]).includes(name))
      throw refuse(uri, `has "${name}", which does not name a token`)
    if (name in found) throw refuse(uri, `names "${name}" twice`)
    found[name] = decode(uri, value)
  }
  if (found['token'] === undefined && found['serial'] === undefined)
    throw refuse(uri, 'has neither "token=" nor "serial="')
  return found
}

function splitOnce(part: string): [string, string | undefined] {
  const at = part.indexOf('=')
  return at < 0 ? [part, undefined] : [part.slice(0, at), part.slice(at + 1)]
}

function decode(uri: string, value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    throw refuse(uri, 'is not percent-encoded UTF-8')
  }
}

function refuse(uri: string, why: string): Fault {
  return new Fault(
    'hsm.unavailable',
    `hsm.token "${uri}" ${why}; write for example pkcs11:token=strongroom;serial=0123456789abcdef`,
  )
}
