import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { certificateSubject } from './read-certificate.ts'
import { labelOf, type Certificates } from '../user-certificates.ts'

/** `GET /authinfo/smcuser` (spec: Get smartcard user): the user whom the client's certificate identifies. */
export const readSmartcardUser = (certificates: Certificates, isEnabled: boolean) =>
  endpoint({
    operation: 'authinfo.smcuser',
    handler: 'AuthInfoHandler',
    method: 'GET',
    path: '/authinfo/smcuser',
    summary: 'Tell whose smartcard the client presents',
    details:
      'The certificate is that of the TLS connection: a client shows it to fill in the user name before the login.',
    access: { kind: 'public', refusesToken: true },
    faults: ['certificate.not_found'],
    reply: {
      callinfo: z.object({
        username: z.string().describe('Login name of the user whose card it is.'),
        subject: certificateSubject,
      }),
    },
    async run({ client, note }) {
      if (!isEnabled)
        throw new Fault('certificate.not_found', 'No valid certificate was found: this appliance asks for none.')
      const found = await certificates.identify(client.certificate())
      if (found.holder === undefined) {
        note({ target: found.rejectReason })
        throw new Fault('certificate.not_found')
      }
      const { userId, username } = found.holder
      note({ userId, username, target: labelOf(found.certificate.fingerprint) })
      return { callinfo: { username, subject: found.certificate.subject } }
    },
  })
