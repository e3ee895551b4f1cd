import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { dayWords } from '../controls/moment-text.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { useOwnCertificate } from './me-reads.ts'
import { meWords } from './me-words.ts'

/** The certificate of the person's smartcard. Only administrators can register one. */
export function CardSection() {
  const words = useWordsOf(meWords)
  const { locale } = useWords()
  const { data, error, refetch } = useOwnCertificate()
  if (error && !data) return <ErrorMessage error={error} onTryAgain={refetch} />
  if (!data) return <Loading />
  const { certificate } = data.CALLINFO
  if (certificate === undefined) return <p className="soft">{words.noCertificate}</p>
  const { subject, validTo } = certificate
  return (
    <dl>
      <dt>{words.certificateOf([subject['CN'] ?? ''].flat().join(', '))}</dt>
      <dd>{words.validUntil(dayWords(validTo, locale))}</dd>
    </dl>
  )
}
