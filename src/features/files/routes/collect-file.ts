import { z } from 'zod'
import { endpoint, type UploadedFile } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { filledSchema, filledStructure } from '../../templates/template-json.ts'
import { templateIds } from '../../templates/template.ts'
import type { Templates } from '../../templates/templates.ts'
import type { FileOpener } from '../protected-file.ts'
import { maxSampleBytes, recognise } from '../recognition.ts'

const collectedSchema = z
  .looseObject({
    templateid: z
      .union([z.string(), z.int().min(1)])
      .describe('Id of the template: a number, but text of a certificate, as a published client sends it on.'),
  })
  .describe('Beside the template, what was read of the file, under the names of the fields of the template.')

/**
 * `POST /filecollect` (spec: Identify templates): the template that a file belongs to, filled in with the values of the
 * file.
 */
export function collectFile(templates: Templates) {
  let opener: Promise<FileOpener> | undefined
  // Loaded at first use, since node-forge takes 30 ms and 10 MB.
  const loadOpener = (): Promise<FileOpener> =>
    (opener ??= import('../protected-file.ts').then(({ createFileOpener }) => createFileOpener()))
  return endpoint({
    operation: 'file.collect',
    handler: 'FilecollectHandler',
    method: 'POST',
    path: '/filecollect',
    summary: 'Identify the template of a file by its content',
    details: 'The file is not kept: `POST /object` saves it. For a large file the beginning is enough.',
    access: { kind: 'session' },
    upload: 'required',
    reply: { data: collectedSchema, members: z.object({ STRUCTURE: filledSchema }) },
    body: z.object({
      file1: z.string().describe('Name of the file, where its part has none.').optional(),
      passphrase: z
        .string()
        .max(1024, 'must have 1024 characters at most')
        .default('')
        .describe('Pass phrase of the file, to read what a PKCS#12 or a private key says behind it. It is not kept.'),
    }),
    unechoed: async () => ['passphrase', ...(await templates.secretNames())],
    quota: 'files',
    async run({ body, file }) {
      if (file === undefined) throw new Fault('request.not_form')
      const { sample, isWhole } = await beginningOf(file)
      const { templateId, values: visible, problem } = recognise(sample, isWhole)
      const isOpened = protectedTemplates.has(templateId) && isWhole && body.passphrase !== ''
      const opened = isOpened ? await (await loadOpener())(sample, body.passphrase) : { values: {} }
      const values = 'values' in opened ? { ...visible, ...opened.values } : visible
      const template = await templates.find(templateId)
      const named: Readonly<Record<string, string>> = { ...values, file1: file.filename || (body.file1 ?? '') }
      const filled = Object.fromEntries(template.fields.map(({ name }) => [name, named[name] ?? '']))
      // A published client can send only text back, whereas the specification has a number.
      const isCertificate = templateId === templateIds.certificate
      return {
        data: { ...collected(filled), templateid: isCertificate ? String(templateId) : templateId },
        members: { STRUCTURE: filledStructure(template, filled) },
        general: [...(problem === undefined ? [] : [problem]), ...('problem' in opened ? [opened.problem] : [])],
      }
    },
  })
}

/** Templates of files that may be protected by a pass phrase, which then opens them. */
const protectedTemplates: ReadonlySet<number> = new Set([templateIds.pkcs12, templateIds.privateKey])

/** Fields that only people can fill in, so they are not listed as found. */
const unread = new Set(['info', 'description', 'password'])

function collected(filled: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(filled).filter(([name]) => !unread.has(name)))
}

/** Keeps only the beginning of a file, but reads all of it, so that its sender gets the answer. */
async function beginningOf(file: UploadedFile): Promise<{ readonly sample: Buffer; readonly isWhole: boolean }> {
  const pieces: Buffer[] = []
  let kept = 0
  let size = 0
  for await (const piece of file.content()) {
    size += piece.length
    if (kept >= maxSampleBytes) continue
    const part = piece.subarray(0, maxSampleBytes - kept)
    pieces.push(part)
    kept += part.length
  }
  return { sample: Buffer.concat(pieces), isWhole: size <= maxSampleBytes }
}
