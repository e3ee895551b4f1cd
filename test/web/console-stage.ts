import { afterAll, beforeAll } from 'vitest'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import type { TestClient } from '../support/client.ts'
import { makeVault } from '../support/vault.ts'
import { closeBrowser, Visit, type VisitOptions } from './browser-kit.ts'
import { memberOf, stock, type Stocked } from './console-vault.ts'

/** What the tests of a file share: an appliance with a vault as people have them. Filled before the first of them. */
export interface ConsoleStage {
  appliance: TestAppliance
  stocked: Stocked
  /** A person before a browser, until the end of the test. */
  readonly visitor: (options?: VisitOptions) => Promise<Visit>
  /** A member of the stocked vault who has logged in. */
  readonly member: (options?: VisitOptions) => Promise<Visit>
  /** The same, who may write. */
  readonly writer: (options?: VisitOptions) => Promise<Visit>
  /** A person with a vault of their own, who has no browser yet. */
  readonly owner: (vaultname?: string, capabilities?: Parameters<TestAppliance['addUser']>[0]) => Promise<Owner>
  /** The same, who has logged in. */
  readonly visitingOwner: (
    vaultname: string,
  ) => Promise<Owner & { readonly visit: Visit; readonly page: Visit['page'] }>
}

export interface Owner {
  readonly user: TestUser
  readonly client: TestClient
  readonly vaultid: string
}

/** To be called at the top of a test file. */
export function consoleStage(): ConsoleStage {
  const visitor = (options?: VisitOptions): Promise<Visit> => Visit.start(stage.appliance, options)
  async function arrived(status: number, options?: VisitOptions): Promise<Visit> {
    const visit = await visitor(options)
    await visit.arrive(await memberOf(stage.stocked, stage.appliance, status))
    return visit
  }
  const member: ConsoleStage['member'] = (options) => arrived(1, options)
  const writer: ConsoleStage['writer'] = (options) => arrived(2, options)
  const owner: ConsoleStage['owner'] = async (vaultname, capabilities) => {
    const user = await stage.appliance.addUser(capabilities)
    const client = await stage.appliance.login(user)
    const { id: vaultid } = await makeVault(stage.appliance, vaultname, client)
    return { user, client, vaultid }
  }
  const visitingOwner: ConsoleStage['visitingOwner'] = async (vaultname) => {
    const owned = await owner(vaultname)
    const visit = await visitor()
    await visit.arrive(owned.user)
    return { ...owned, visit, page: visit.page }
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- beforeAll fills in the rest
  const stage = { visitor, member, writer, owner, visitingOwner } as ConsoleStage
  beforeAll(async () => {
    stage.appliance = await TestAppliance.shared()
    stage.stocked = await stock(stage.appliance)
  })
  afterAll(async () => {
    await closeBrowser()
    await stage.appliance.close()
  })
  return stage
}
