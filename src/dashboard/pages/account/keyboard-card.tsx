import { Switch } from '@mantine/core'
import { useState } from 'react'
import { areKeysOn, turnKeys } from '../../shell/shortcuts'
import { Card } from '../../ui/parts'

/** Turns the shortcuts off that are a single key. */
export function KeyboardCard() {
  const [isOn, setOn] = useState(areKeysOn)
  return (
    <Card title="Keyboard">
      <Switch
        label="Single-key shortcuts"
        description="g and a letter, j, k, / and ? act while no field has the focus. Turn them off if you dictate. Ctrl K always works. This applies to this browser."
        checked={isOn}
        onChange={(event) => {
          turnKeys(event.currentTarget.checked)
          setOn(event.currentTarget.checked)
        }}
      />
    </Card>
  )
}
