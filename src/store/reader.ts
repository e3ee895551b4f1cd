import type { EntityManager } from 'typeorm'
import type { Reader } from './store.ts'

/** Reads through a manager; what the driver says of a failure is translated to the fault to throw. */
export function createReader(manager: EntityManager, translated: (error: unknown) => unknown): Reader {
  return new Proxy(manager, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return async (...given: unknown[]): Promise<unknown> => {
        try {
          return await Reflect.apply(member, target, given)
        } catch (cause) {
          throw translated(cause)
        }
      }
    },
  })
}
