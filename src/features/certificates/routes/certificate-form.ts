import { z } from 'zod'
import type { Certificate } from '../certificate.ts'

export const certificateSubject = z
  .record(z.string(), z.union([z.string(), z.array(z.string())]))
  .describe('Fields of the subject, such as CN, O, OU and C; one that is there several times is an array.')

/** Spec: User certificate. */
export const certificateForm = z.object({
  subject: certificateSubject,
  validFrom: z.iso.datetime(),
  validTo: z.iso.datetime(),
})

export function formOf({ subject, validFrom, validTo }: Certificate) {
  return { subject, validFrom: new Date(validFrom).toISOString(), validTo: new Date(validTo).toISOString() }
}
