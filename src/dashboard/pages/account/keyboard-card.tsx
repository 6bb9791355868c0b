import { Switch } from '@mantine/core'
import { useState } from 'react'
import { areKeysOn, turnKeys } from '../../shell/shortcuts'
import { Card } from '../../ui/parts'
import { showExactTimes, useExactTimes } from '../../ui/time'

/** Turns single-key shortcuts off, and exact times on. */
export function KeyboardCard() {
  const [isOn, setOn] = useState(areKeysOn)
  const isExact = useExactTimes()
  return (
    <Card title="Keyboard and times">
      <div className="stack">
        <Switch
          label="Single-key shortcuts"
          description="g and a letter, j, k, t, / and ? act while no field has the focus. Turn them off if you dictate. Ctrl K always works. This applies to this browser."
          checked={isOn}
          onChange={(event) => {
            turnKeys(event.currentTarget.checked)
            setOn(event.currentTarget.checked)
          }}
        />
        <Switch
          label="Exact times"
          description="Shows dates and times in full instead of “3 min ago”. The key t and a tap on a time do the same."
          checked={isExact}
          onChange={(event) => showExactTimes(event.currentTarget.checked)}
        />
      </div>
    </Card>
  )
}
