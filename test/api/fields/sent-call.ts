import type { AnyEndpoint } from '../../../src/http/contract/endpoint.ts'
import type { Answer, TestClient } from '../../support/client.ts'
import { formWith } from '../../support/object-kit.ts'
import type { GoodCall } from './good-calls.ts'
import type { Form } from './tries.ts'

/** Sends a call with its parts unchanged: in the query of a GET, with a file as multipart, else in this form. */
export function sendCall(
  client: TestClient,
  { method, path }: Pick<AnyEndpoint, 'method' | 'path'>,
  { params = {}, members = {}, file }: GoodCall,
  form: Form = 'json',
): Promise<Answer> {
  const address = path.replaceAll(/:(\w+)/g, (_all, name: string) => params[name] ?? '')
  const text = String(
    new URLSearchParams(Object.entries(members).map(([name, value]): [string, string] => [name, String(value)])),
  )
  if (method === 'GET') return client.get(`${address}?${text}`)
  if (file !== undefined) return client.call(method, address, formWith(members, Buffer.from(file)))
  if (form === 'urlencoded')
    return client.call(method, address, { raw: text, headers: { 'Content-Type': 'application/x-www-form-urlencoded' } })
  return client.call(method, address, { raw: JSON.stringify(members) })
}
