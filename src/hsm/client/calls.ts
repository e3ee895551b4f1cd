import { Fault } from '../../fault.ts'
import type { Operation } from '../protocol/frame.ts'
import type { GenerateOptions, GeneratedKey, WrappedKey } from '../hsm.ts'
import type { RequestRouter } from './request-router.ts'

type Call<T> = (operation: Operation, fields: readonly Uint8Array[]) => Promise<T>

/** Requests to a token host, by the shape of what comes back. All reject as `RequestRouter.call` does. */
export interface Calls {
  readonly fields: Call<readonly Buffer[]>
  readonly bytes: Call<Buffer>
  readonly flag: Call<boolean>
  readonly done: Call<void>
  readonly generated: Call<GeneratedKey>
}

export function createCalls(router: RequestRouter): Calls {
  const bytes: Calls['bytes'] = async (operation, fields) => field(await router.call(operation, fields), 0)
  return {
    fields: (operation, fields) => router.call(operation, fields),
    bytes,
    flag: async (operation, fields) => (await bytes(operation, fields)).toString() === '1',
    async done(operation, fields) {
      await router.call(operation, fields)
    },
    async generated(operation, fields) {
      const reply = await router.call(operation, fields)
      return { ...wrapped(reply, 0), publicKey: given(reply, 2), backup: given(reply, 3) && wrapped(reply, 3) }
    },
  }
}

export function flagField(value: boolean): Buffer {
  return Buffer.from(value ? '1' : '0')
}

export function optionFields({ exportable, backup }: GenerateOptions): Buffer[] {
  return [flagField(exportable), flagField(backup)]
}

export function wrapped(reply: readonly Buffer[], at: number): WrappedKey {
  return { kek: field(reply, at).toString(), blob: field(reply, at + 1) }
}

/** Undefined for the empty field that stands for nothing. */
export function given(reply: readonly Buffer[], at: number): Buffer | undefined {
  const found = field(reply, at)
  return found.length === 0 ? undefined : found
}

export function field(reply: readonly Buffer[], at: number): Buffer {
  const found = reply[at]
  if (found === undefined)
    throw new Fault('hsm.unavailable', 'The token host answered with too few fields: it is of another version.')
  return found
}
