import { expect, it } from 'vitest'
import type { TestClient } from '../support/client.ts'
import { createObject } from '../support/object-kit.ts'
import { consoleStage } from './console-stage.ts'
import { memberOf } from './console-vault.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { looks } from './looks.ts'

const stage = consoleStage()
/** A machine may be busy with other tests. */
/** As long as a tag may be. */
const hostileTags = hostileTexts.map((text) => text.slice(0, 40).trim())

/** A member before an object of the vault, with the field for a new tag. */
async function atObject() {
  const user = await memberOf(stage.stocked, stage.appliance)
  const client = await stage.appliance.login(user)
  const visit = await stage.visitor()
  await visit.arrive(user)
  await visit.open(`/object/${stage.stocked.server}`)
  const field = visit.page.getByLabel('New tag')
  await field.waitFor()
  return { client, visit, page: visit.page, field }
}

async function tagsOf(client: TestClient): Promise<string[]> {
  const { TAGS } = await client.must('GET', '/tags')
  return (TAGS as { tag: string }[]).map(({ tag }) => tag)
}

it('are added and removed at an object by keyboard alone, and seen by their owner alone', async () => {
  const { client, page, field } = await atObject()
  const remover = (tag: string) => page.getByRole('button', { name: `Remove tag ${tag}`, exact: true })
  await field.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Fill in this field.').waitFor()
  for (const tag of ['network', ' Rack 4 ']) {
    await page.keyboard.type(tag)
    await page.keyboard.press('Enter')
    await remover(tag.trim()).waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
  }
  expect(await tagsOf(client)).toEqual(['network', 'Rack 4'])
  await page.keyboard.type('NETWORK')
  await page.keyboard.press('Enter')
  await page.getByText('The object already has this tag.').waitFor()
  expect(await tagsOf(client)).toEqual(['network', 'Rack 4'])

  // Past the tag that was added first.
  await page.keyboard.press('Shift+Tab')
  const focused = (): Promise<unknown> => page.evaluate('document.activeElement.ariaLabel')
  await expect.poll(focused).toBe('Remove tag Rack 4')
  await page.keyboard.press('Shift+Tab')
  await expect.poll(focused).toBe('Remove tag network')
  await page.keyboard.press('Enter')
  await remover('network').waitFor({ state: 'detached' })
  await expect.poll(() => tagsOf(client)).toEqual(['Rack 4'])
  // The focus is at the tag beside it.
  await expect.poll(focused).toBe('Remove tag Rack 4')
  await page.keyboard.press('Space')
  await expect.poll(() => tagsOf(client)).toEqual([])

  const other = await stage.member()
  await client.must('PUT', `/object/${stage.stocked.server}/tags`, { tags: ['mine'] })
  await other.open(`/object/${stage.stocked.server}`)
  await other.page.getByLabel('New tag').waitFor()
  expect(await other.page.getByText('mine', { exact: true }).count()).toBe(0)
})

it('find objects on the page of all vaults, pressed or searched for', async () => {
  const user = await memberOf(stage.stocked, stage.appliance)
  const client = await stage.appliance.login(user)
  const { server, file } = stage.stocked
  await client.must('PUT', `/object/${server}/tags`, { tags: ['network', 'on call'] })
  await client.must('PUT', `/object/${file}/tags`, { tags: ['Network'] })
  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  await page.getByRole('button', { name: 'Svenska' }).click()
  const list = page.getByRole('region', { name: 'Etiketter' })
  await list.getByRole('button', { name: 'Network' }).click()
  const tagged = page.getByRole('region', { name: 'Med etiketten Network' })
  expect(await tagged.getByRole('link').count()).toBe(2)
  await list.getByRole('button', { name: 'on call' }).click()
  await page.getByRole('region', { name: 'Med etiketten on call' }).getByRole('link', { name: 'core1' }).waitFor()
  expect(await tagged.count()).toBe(0)
  await page.getByRole('searchbox').fill('netw')
  await list.getByRole('button', { name: 'on call' }).waitFor({ state: 'detached' })
  await list.getByRole('button', { name: 'Network' }).click()
  await tagged.getByRole('link', { name: 'plan.svg' }).click()
  await visit.sees('plan.svg')
  await page.getByRole('button', { name: 'Ta bort etiketten Network' }).waitFor()
})

it('keep what was typed where the change is refused, and take what another page has added', async () => {
  const { client, visit, page, field } = await atObject()
  await field.fill('later')
  await page.route('**/object/*/tags', (route) => route.abort())
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('The appliance cannot be reached.').waitFor()
  expect(await field.inputValue()).toBe('later')
  await page.unroute('**/object/*/tags')
  await client.must('PUT', `/object/${stage.stocked.server}/tags`, { tags: ['from elsewhere'] })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('button', { name: 'Remove tag later' }).waitFor()
  expect(await tagsOf(client)).toEqual(['from elsewhere', 'later'])
  visit.complaints.expect(/net::ERR_FAILED/)
})

it('are read once for each change, and every view knows the change', async () => {
  const { client, visit, page, field } = await atObject()
  const { server, file } = stage.stocked
  await client.must('PUT', `/object/${file}/tags`, { tags: ['network', 'drawn'] })
  const begun = visit.asked.length
  const reads = (): number =>
    visit.asked.slice(begun).filter((url) => url.endsWith('/tags') && !url.includes('/object/')).length
  const remover = (tag: string) => page.getByRole('button', { name: `Remove tag ${tag}`, exact: true })
  for (const [at, tag] of ['Network', 'night shift', 'spare'].entries()) {
    await field.fill(tag)
    await page.keyboard.press('Enter')
    await remover(tag).waitFor()
    await expect.poll(() => field.inputValue()).toBe('')
    await expect.poll(reads).toBe(at + 1)
  }
  await remover('spare').click()
  await remover('spare').waitFor({ state: 'detached' })
  await expect.poll(reads).toBe(4)

  // No reload: what is listed is what the changes made of it.
  await page.getByRole('navigation', { name: 'Main menu' }).getByRole('link', { name: 'Vaults' }).click()
  const list = page.getByRole('region', { name: 'Tags' })
  await list.getByRole('button', { name: 'night shift' }).waitFor()
  expect(await list.getByRole('button').allTextContents()).toEqual(['drawn1', 'Network2', 'night shift1'])
  await list.getByRole('button', { name: 'night shift' }).click()
  await page.getByRole('region', { name: 'Tagged night shift' }).getByRole('link').waitFor()
  const { TAGS } = await client.must('GET', '/tags')
  expect(TAGS).toEqual([
    { tag: 'drawn', objects: [file] },
    { tag: 'Network', objects: [server, file].toSorted((a, b) => Number(a) - Number(b)) },
    { tag: 'night shift', objects: [server] },
  ])
})

it.each(looks)('are texts whatever they say, in %s colours and %i pixels sound', async (theme, width) => {
  const { user, client, vaultid } = await stage.owner(hostileTexts[0])
  const id = await createObject(client, vaultid, { objectname: 'named', host: 'h.example.test' })
  const other = await createObject(client, vaultid, { objectname: 'other', host: 'h.example.test' })
  await client.must('PUT', `/object/${id}/tags`, { tags: hostileTags })
  await client.must('PUT', `/object/${other}/tags`, { tags: Array.from({ length: 20 }, (_, at) => `tag ${at}`) })
  const visit = await stage.visitor({ theme, width })
  const { page } = visit
  await visit.arrive(user)
  const list = page.getByRole('region', { name: 'Tags' })
  await list.getByRole('button', { name: `All ${hostileTags.length + 20} tags` }).click()
  for (const tag of hostileTags) await list.getByText(tag, { exact: true }).first().waitFor()
  await list.getByText(hostileTags[0] ?? '', { exact: true }).click()
  await list.getByRole('link', { name: 'named' }).waitFor()
  await visit.expectSound('tags')
  await visit.open(`/object/${id}`)
  await page.getByLabel('New tag').fill('another')
  for (const tag of hostileTags) await page.getByText(tag, { exact: true }).first().waitFor()
  await visit.expectSound('object-tags')
  await visit.open(`/object/${other}`)
  await visit.sees('other')
  await page.getByLabel('New tag').fill('another')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('An object can have at most 20 tags.').waitFor()
  await visit.expectSound('full-tags')
  expect(await page.evaluate('window.hit')).toBeUndefined()
})
