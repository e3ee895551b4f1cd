import { IdCard, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { ConfirmedButton } from '../controls/confirmed-button.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call, type AdministeredUser } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { FileInput } from '../controls/file-input.tsx'
import { MomentText } from '../controls/moment-text.tsx'
import { RecoveryWarning } from './recovery-warning.tsx'
import { useUserCertificate, useUsersDone } from './user-reads.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly user: AdministeredUser
  /** Called with sentences about memberships that are now on hold. */
  readonly onTold: (sentences: readonly string[]) => void
}

/** The certificate of the user's smartcard. */
export function UserCertificate({ user, onTold }: Props) {
  const words = useWordsOf(userWords)
  const { remove } = useWordsOf(administrationWords)
  const { data, error, refetch } = useUserCertificate(user.id)
  const done = useUsersDone()
  const [isAdding, setIsAdding] = useState(false)
  async function removeIt(signal: AbortSignal): Promise<void> {
    await call('usercert.remove', { params: { userid: user.id }, signal })
    await done(words.certificateRemoved)
  }
  return (
    <section aria-labelledby="certificate">
      <h2 id="certificate">{words.certificate}</h2>
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {!error && data === undefined && <Loading />}
      {data === null && <p className="soft">{words.noCertificate}</p>}
      {data && (
        <div className="entry card">
          <span className="tile">
            <IdCard aria-hidden />
          </span>
          <span className="texts">
            <span className="title">{subjectText(data.subject)}</span>
            <span className="soft">
              {words.valid} <MomentText at={data.validFrom} /> {words.validFromTo} <MomentText at={data.validTo} />
            </span>
          </span>
          <ConfirmedButton
            isSmall
            icon={<Trash2 aria-hidden />}
            text={remove}
            title={words.removeCertificateTitle}
            question={words.removeCertificateText}
            onConfirm={removeIt}
          />
        </div>
      )}
      {(data !== undefined || error) && (
        <div className="acts">
          <Button className="button" onPress={() => setIsAdding(true)}>
            <Plus aria-hidden />
            {data ? words.replaceCertificate : words.addCertificate}
          </Button>
        </div>
      )}
      {isAdding && <CertificateDialog user={user} onTold={onTold} onClose={() => setIsAdding(false)} />}
    </section>
  )
}

const subjectText = (subject: Readonly<Record<string, string | readonly string[]>>): string =>
  Object.entries(subject)
    .flatMap(([name, value]) => (typeof value === 'string' ? [value] : value).map((one) => `${name}=${one}`))
    .join(', ')

function CertificateDialog({ user, onTold, onClose }: Props & { readonly onClose: () => void }) {
  const words = useWordsOf(userWords)
  const done = useUsersDone()
  const [file, setFile] = useState<File>()
  const [isMissing, setIsMissing] = useState(false)
  async function register(signal: AbortSignal): Promise<boolean> {
    setIsMissing(file === undefined)
    if (file === undefined) return false
    const { CALLINFO } = await call('usercert.add', { params: { userid: user.id }, file, signal })
    onTold(CALLINFO.general)
    await done(words.certificateAdded)
    return true
  }
  return (
    <FormDialog
      title={words.certificateTitle(user.fullname)}
      submitText={words.addCertificate}
      onSubmit={register}
      onClose={onClose}
    >
      <FileInput
        label={words.certificateFile}
        description={words.certificateHelp}
        error={isMissing && file === undefined ? words.noFile : undefined}
        file={file}
        onChoose={setFile}
      />
      <RecoveryWarning userid={user.id} username={user.username} fullname={user.fullname} />
    </FormDialog>
  )
}
