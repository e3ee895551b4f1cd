import { expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { grantIn } from '../../support/grant-kit.ts'
import { server } from '../../support/object-kit.ts'
import { makeVault } from '../../support/vault.ts'

const appliance = applianceForTests()

it('an object whose vault is deleted after the call was authorized is refused for the vault, and not for its key', async () => {
  const { services, commit } = appliance
  const { id, admin } = await makeVault(appliance)
  const grant = await grantIn(appliance, id)
  const { id: userId } = await appliance.addUser()
  const vault = await services.objectReading.vault({
    id: Number(id),
    permission: 'Admin',
    strict: false,
    scope: null,
    grantIn: () => Promise.resolve(undefined),
    grant: () => Promise.resolve(grant),
  })
  const template = await services.templates.find(Number(server.templateid))
  await admin.must('DELETE', `/vault/${id}`)
  const created = services.objects.create(
    { vault, parentId: 0, template },
    { name: undefined, members: server, file: undefined },
    { userId, commit },
  )
  await expect(created).rejects.toMatchObject({ code: 'vault.not_found' })
})
