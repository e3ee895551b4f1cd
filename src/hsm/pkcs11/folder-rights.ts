import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { PKCS11 } from 'pkcs11js'
import { asOwnerOf } from '../../folder-owner.ts'

/** The folder of a software token, by the module that is called with the rights of its owner. */
const folders = new WeakMap<PKCS11, string>()

/** The module, called with the rights of the owner of the token's folder, because it follows links there. */
export function calledInFolder(lib: PKCS11, tokenDirectory: string): PKCS11 {
  const called = new Proxy(lib, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== 'function') return member
      return (...args: unknown[]): unknown => inFolder(tokenDirectory, () => Reflect.apply(member, target, args))
    },
  })
  folders.set(called, tokenDirectory)
  return called
}

/** Runs several calls of the module with one change of rights, which takes longer than most calls. */
export function calledTogether<T>(lib: PKCS11, calls: () => T): T {
  const folder = folders.get(lib)
  return folder === undefined ? calls() : inFolder(folder, calls)
}

/** Runs `work` with the rights that the module is called with where root uses a software token. */
export function inFolder<T>(tokenDirectory: string, work: () => T): T {
  return existsSync(tokenDirectory) ? asOwnerOf(join(tokenDirectory, 'token'), work) : work()
}
