import { t } from '@lingui/core/macro';
import { type ChangeEvent, useState } from 'react';
import { updateProfile } from '../../../../contracts/accounts/settings.ts';
import { isLanguage, LANGUAGES, type LanguageCode } from '../../../../contracts/values/language/languages.ts';
import { call } from '../../../api/call.ts';
import { useAction } from '../../../api/use-action.ts';
import { Select } from '../../../components/form/select.tsx';
import { Switch } from '../../../components/form/switch.tsx';
import { type DeviceSwitch, setDeviceSwitch, useDeviceSwitch } from '../../../lib/browser/device-switch.ts';
import {
  askToNotify,
  type NotificationState,
  notificationState,
} from '../../../lib/browser/notifications.ts';
import { setThemeChoice, type ThemeChoice } from '../../../lib/browser/theme.ts';
import { useThemeChoice } from '../../../lib/browser/use-theme.ts';
import {
  browserLanguage,
  chooseLanguage,
  chosenLanguage,
  followedLanguage,
} from '../../../lib/language/language.ts';
import { SettingsSection } from '../settings-section.tsx';
import { PushChoice } from './push-choice.tsx';

const THEMES: { value: ThemeChoice; label: string }[] = [
  { value: 'dark', label: t`Dark` },
  { value: 'light', label: t`Light` },
  { value: 'system', label: t`System` },
];

/** Choices that are kept in this browser. */
export function DeviceSection() {
  const theme = useThemeChoice();
  return (
    <SettingsSection
      id="device"
      title={t`This device`}
      description={t`These choices apply to this browser and are saved immediately.`}
    >
      <div className="flex flex-col gap-7">
        <Select
          label={t`Theme`}
          hint={t`“System” is light or dark like the rest of your device.`}
          options={THEMES}
          value={theme}
          onChange={(event) => setThemeChoice(event.target.value as ThemeChoice)}
          className="sm:max-w-80"
        />
        <LanguageChoice />
        <ul className="flex flex-col divide-y divide-line border-t border-line [&>li]:py-4">
          <li>
            <SendAheadSwitch />
          </li>
          <li>
            <ShortcutsSwitch />
          </li>
          <li>
            <NotificationSwitch
              name="notify-upload-end"
              label={t`Tell me when an upload ends`}
              hint={t`A notification of this browser, if you are looking at something else.`}
            />
          </li>
          <li>
            <PushChoice />
          </li>
          <li>
            <NotificationSwitch
              name="notify-first-download"
              label={t`Tell me about first downloads`}
              hint={t`When one of your 50 newest transfers is downloaded for the first time while Sendwell is open.`}
            />
          </li>
        </ul>
      </div>
    </SettingsSection>
  );
}

/** The account gets it as well, for its emails and other devices. The page reloads in the chosen language. */
function LanguageChoice() {
  const languages = Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }));
  const { mutate, isPending } = useAction(saveLanguage, { failure: t`Update Failed` });
  return (
    <Select
      label={t`Language`}
      hint={t`Your emails from Sendwell use it, too.`}
      options={[{ value: '', label: t`As in the browser` }, ...languages]}
      value={chosenLanguage() ?? followedLanguage() ?? ''}
      disabled={isPending}
      onChange={({ target: { value } }) => mutate(isLanguage(value) ? value : undefined)}
      className="sm:max-w-80"
    />
  );
}

async function saveLanguage(language: LanguageCode | undefined): Promise<void> {
  await call(updateProfile, { body: { language: language ?? browserLanguage() } });
  chooseLanguage(language);
}

function SendAheadSwitch() {
  const isOn = useDeviceSwitch('send-ahead');
  return (
    <Switch
      label={t`Start sending as soon as files are added`}
      hint={t`Nothing is shared until you press Upload.`}
      checked={isOn}
      onChange={(event) => setDeviceSwitch('send-ahead', event.target.checked)}
    />
  );
}

function ShortcutsSwitch() {
  const isOn = useDeviceSwitch('single-key-shortcuts');
  return (
    <Switch
      label={t`Single-key shortcuts`}
      hint={t`N for a new upload, / for search and ? for the list of shortcuts. Turn them off if you control your computer by voice.`}
      checked={isOn}
      onChange={(event) => setDeviceSwitch('single-key-shortcuts', event.target.checked)}
    />
  );
}

type NotificationSwitchProps = { name: DeviceSwitch; label: string; hint: string };

/** Asks for permission when it is switched on. Off while the browser doesn't allow notifications. */
function NotificationSwitch({ name, label, hint }: NotificationSwitchProps) {
  const isOn = useDeviceSwitch(name);
  const [state, setState] = useState<NotificationState>(notificationState);
  const change = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    if (!target.checked) return setDeviceSwitch(name, false);
    const answer = await askToNotify();
    setState(answer);
    setDeviceSwitch(name, answer === 'granted');
  };
  return (
    <Switch
      label={label}
      hint={explain(state) ?? hint}
      checked={isOn && state === 'granted'}
      disabled={state === 'denied' || state === 'unsupported'}
      onChange={change}
    />
  );
}

function explain(state: NotificationState): string | undefined {
  if (state === 'unsupported') return t`This browser can't show notifications of this page.`;
  if (state === 'denied')
    return t`Notifications of this page are blocked. Allow them in the site settings of your browser first.`;
  return undefined;
}
