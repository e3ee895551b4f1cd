import { Bot, Hourglass, UserRound } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Contact } from '../controls/contact.tsx'
import type { VaultMember } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { GrantedList } from './granted-list.tsx'
import { useRightName } from './right-choice.tsx'
import { sharingWords } from './sharing-words.ts'

/** An action with a member. */
export type MemberAct = 'change' | 'remove' | 'confirm'

interface Props {
  readonly member: VaultMember
  readonly members: readonly VaultMember[]
  readonly ownId: string | undefined
  /** Whether the person is an Admin of the vault. */
  readonly isAdmin: boolean
  readonly onAct: (act: MemberAct) => void
}

export function MemberItem({ member, members, ownId, isAdmin, onAct }: Props) {
  const words = useWordsOf(sharingWords)
  const nameOf = useRightName()
  const { id, fullname, username, email, groupstatus, service, grants, resting } = member
  const isOwn = id === ownId
  return (
    <li>
      <span className="tile">{service ? <Bot aria-hidden /> : <UserRound aria-hidden />}</span>
      <div className="texts">
        <span className="title">
          {fullname}
          {isOwn && <span className="soft"> ({words.you})</span>}
        </span>
        {service ? (
          <span className="soft">{`${words.application} · ${username}`}</span>
        ) : (
          <Contact username={username} email={email} />
        )}
        {grants && <GrantedList grants={grants} />}
        {member.passphrase_by !== undefined && <span className="soft">{words.givenPassphrase}</span>}
      </div>
      <span className="right">{nameOf(groupstatus)}</span>
      {isAdmin && (
        <div className="buttons">
          {resting && ownId !== undefined && !resting.by.includes(ownId) && (
            <Button
              className="button small"
              aria-label={words.confirmMember(fullname)}
              onPress={() => onAct('confirm')}
            >
              {words.confirm}
            </Button>
          )}
          <Button className="button small" aria-label={words.changeRightOf(fullname)} onPress={() => onAct('change')}>
            {words.changeRight}
          </Button>
          {!isOwn && (
            <Button className="button small" aria-label={words.removeMember(fullname)} onPress={() => onAct('remove')}>
              {words.remove}
            </Button>
          )}
        </div>
      )}
      {resting && <OnHold resting={resting} members={members} />}
    </li>
  )
}

interface OnHoldProps {
  readonly resting: NonNullable<VaultMember['resting']>
  readonly members: readonly VaultMember[]
}

/** Why a membership is on hold. */
function OnHold({ resting: { since, by }, members }: OnHoldProps) {
  const words = useWordsOf(sharingWords)
  const { locale } = useWords()
  const operatorId = '0'
  const who = by.map((id) =>
    id === operatorId ? words.operator : (members.find((one) => one.id === id)?.fullname ?? words.userNumber(id)),
  )
  return (
    <div className="on-hold">
      <span className="mark-weak">
        <Hourglass aria-hidden />
        {words.onHold}
      </span>
      <span className="soft">
        {words.onHoldWhy(new Date(since).toLocaleDateString(locale, { dateStyle: 'long' }), who.join(words.and))}
      </span>
    </div>
  )
}
