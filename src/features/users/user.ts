import { Fault } from '../../fault.ts'
import type { Commit, Store } from '../../store/store.ts'
import { checkFields } from './fields.ts'
import { unlessTaken } from './names.ts'
import { createNewUser, type CreatedUser, type CreationDependencies, type NewUser } from './new-user.ts'
import { findByUsername, listUsers, searchPattern, selectUsers, type ListedUser, type User } from './records.ts'
import { applyChange, deactivated, type ChangeDependencies, type UserChanges } from './user-change.ts'

export interface Users {
  /** @throws Fault `user.invalid` (the detail names the field), `user.exists`, and those of `SecondFactors` */
  create(user: NewUser, commit: Commit): Promise<CreatedUser>
  list(): Promise<User[]>
  /** @throws Fault `user.not_found` */
  find(username: string): Promise<User>
  /** @throws Fault `user.not_found` */
  read(id: number): Promise<ListedUser>
  /**
   * Users that hold `text` in full name or e-mail address, and in their login name where `inNames` is set, whatever the
   * case; all for an empty text.
   */
  search(text: string, inNames: boolean): Promise<ListedUser[]>
  /**
   * Changes one user, after all other changes of users. The last active administrator stays one; `actorId`, where there
   * is one, must still be one, and cannot raise himself.
   * @throws Fault `user.not_found`, `user.invalid`, `user.exists`, `access.capability`, and those of `SecondFactors`
   */
  change(id: number, changes: UserChanges, commit: Commit, actorId?: number): Promise<User>
  /**
   * Users are never deleted: their name stays in the audit trail. The last active administrator cannot be disabled.
   * @throws Fault `user.not_found`, `user.invalid`
   */
  disable(username: string, commit: Commit): Promise<void>
}

export interface UserDependencies extends CreationDependencies, ChangeDependencies {
  readonly store: Store
}

export function createUsers(on: UserDependencies): Users {
  const { store } = on

  async function find(username: string): Promise<User> {
    const user = await findByUsername(store.read, username)
    if (user === null) throw new Fault('user.not_found', `There is no user ${username}.`)
    return user
  }

  async function change(id: number, changes: UserChanges, commit: Commit, actorId?: number): Promise<User> {
    checkFields(changes)
    return unlessTaken(changes.username, () => commit((tx) => applyChange(tx, on, id, changes, actorId)))
  }

  return {
    find,
    create: (user, commit) => createNewUser(on, user, commit),
    change,
    list: () => listUsers(store.read),

    async read(id) {
      const [user] = await selectUsers(store.read, { id })
      if (user === undefined) throw new Fault('user.not_found')
      return user
    },

    search: (text, inNames) => selectUsers(store.read, { pattern: searchPattern(text, inNames) }),

    async disable(username, commit) {
      const { id } = await find(username)
      await change(id, { capabilities: deactivated }, commit)
    },
  }
}
