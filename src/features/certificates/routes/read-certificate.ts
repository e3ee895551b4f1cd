import { z } from 'zod'
import { moment, userIdOf, userParams } from '../../../http/contract/shared-fields.ts'
import { holds } from '../../../access/capabilities.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { Certificate } from '../certificate.ts'
import type { Certificates } from '../user-certificates.ts'

export const certificateSubject = z
  .record(
    z.string(),
    z.union([z.string(), z.array(z.string().describe('One of them.'))]).describe('Value of the field, or its values.'),
  )
  .describe('Fields of the subject, such as CN, O, OU and C; one that occurs several times is an array.')

/** Spec: User certificate. */
const certificateForm = z.object({
  subject: certificateSubject,
  validFrom: moment('First moment of its validity.'),
  validTo: moment('Last moment of its validity.'),
})

function formOf({ subject, validFrom, validTo }: Certificate) {
  return { subject, validFrom: new Date(validFrom).toISOString(), validTo: new Date(validTo).toISOString() }
}

const contract = {
  operation: 'usercert.read',
  handler: 'UserCertHandler',
  method: 'GET',
  summary: 'Read the certificate of a user',
  access: { kind: 'session' },
  faults: ['user.not_found'],
  reply: {
    callinfo: z.object({
      certificate: certificateForm.describe('The certificate; absent where the user has none.').optional(),
    }),
  },
} as const

/** `GET /usercert` (spec: Get user certificate): the caller's own. */
export const readOwnCertificate = (certificates: Certificates) =>
  endpoint({
    ...contract,
    path: '/usercert',
    run: ({ caller }) => answer(certificates, caller.userId),
  })

/** `GET /usercert/:userid`: administrators read any user's; other callers get their own, whatever id they send. */
export const readUserCertificate = (certificates: Certificates) =>
  endpoint({
    ...contract,
    operation: 'usercert.readany',
    details: 'Administrators read the certificate of any user; other callers get their own, whatever id they send.',
    path: '/usercert/:userid',
    params: userParams,
    run({ params, caller, note }) {
      const userId = holds(caller.capabilities, 'admin') ? userIdOf(params.userid) : caller.userId
      note({ target: `user ${userId}` })
      return answer(certificates, userId)
    },
  })

async function answer(certificates: Certificates, userId: number) {
  const certificate = await certificates.of(userId)
  return certificate === undefined ? {} : { callinfo: { certificate: formOf(certificate) } }
}
