import { Download } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { LongList } from '../controls/long-list.tsx'
import { saveFile } from '../controls/file-download.ts'
import { call, type ListedKey, type ShownVersion } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { keyWords } from './key-words.ts'
import { keysOf } from './keys-reads.ts'
import { RelativeMoment } from './relative-moment.tsx'
import { UseMeter } from './use-meter.tsx'

interface Props {
  readonly vaultid: string
  readonly shown: ListedKey
  readonly versions: readonly ShownVersion[]
  readonly mayWrite: boolean
}

/** The versions of a key, newest first, with what each may still do. */
export function VersionList({ vaultid, shown, versions, mayWrite }: Props) {
  const own = useWordsOf(keyWords)
  const [asked, setAsked] = useState<ShownVersion>()
  const newestFirst = useMemo(() => versions.toReversed(), [versions])
  return (
    <section>
      <h2>{own.versions}</h2>
      <LongList className="versions items card" items={newestFirst} textOf={numberOf}>
        {(version) => (
          <li key={version.key_version}>
            <span className="texts">
              <span className="title">{own.versionNumber(version.key_version)}</span>
              <State shown={shown} version={version} />
            </span>
            <span className="soft">
              <RelativeMoment at={version.created} />
            </span>
            {version.max_encryptions !== undefined && (
              <UseMeter uses={version.encryptions} most={version.max_encryptions} />
            )}
            <span className="buttons">
              {version.public_key !== undefined && <PublicKeyButton name={shown.name} version={version} />}
              {mayWrite && (
                <Button
                  className="button small"
                  aria-label={
                    version.enabled === 'true' ? own.disableOf(version.key_version) : own.enableOf(version.key_version)
                  }
                  onPress={() => setAsked(version)}
                >
                  {version.enabled === 'true' ? own.disable : own.enable}
                </Button>
              )}
            </span>
          </li>
        )}
      </LongList>
      {asked && (
        <VersionQuestion vaultid={vaultid} name={shown.name} version={asked} onClose={() => setAsked(undefined)} />
      )}
    </section>
  )
}

const numberOf = ({ key_version: version }: ShownVersion): string => version

function State({ shown, version }: Pick<Props, 'shown'> & { readonly version: ShownVersion }) {
  const own = useWordsOf(keyWords)
  const number = Number(version.key_version)
  const limit = Number(shown.min_decryption_version)
  if (version.enabled !== 'true') return <span className="warned">{own.disabled}</span>
  if (number < limit) return <span className="warned">{own.belowLimit}</span>
  if (number < Number(shown.min_encryption_version)) return <span className="soft">{own.onlyOpens}</span>
  return number === Number(shown.key_version) ? <span className="soft">{own.latest}</span> : null
}

function PublicKeyButton({ name, version }: { readonly name: string; readonly version: ShownVersion }) {
  const own = useWordsOf(keyWords)
  const save = (): void => saveFile(`${name}-v${version.key_version}.pem`, version.public_key ?? '')
  return (
    <Button className="button small" aria-label={own.savePublicKey(version.key_version)} onPress={save}>
      <Download aria-hidden />
      {own.publicKey}
    </Button>
  )
}

interface QuestionProps {
  readonly vaultid: string
  readonly name: string
  readonly version: ShownVersion
  readonly onClose: () => void
}

function VersionQuestion({ vaultid, name, version: { key_version: version, enabled }, onClose }: QuestionProps) {
  const own = useWordsOf(keyWords)
  const done = useDone(keysOf(vaultid))
  const isEnabled = enabled === 'true'
  async function change(signal: AbortSignal): Promise<void> {
    const body = { enabled: !isEnabled }
    await call('transparent.key.version', { params: { vaultid, name, version }, body, signal })
    await done(isEnabled ? own.versionDisabled(version) : own.versionEnabled(version))
  }
  return (
    <FormDialog
      title={isEnabled ? own.disableOf(version) : own.enableOf(version)}
      submitText={isEnabled ? own.disable : own.enable}
      isDangerous={isEnabled}
      onSubmit={change}
      onClose={onClose}
    >
      <p>{isEnabled ? own.disableText(version) : own.enableText}</p>
    </FormDialog>
  )
}
