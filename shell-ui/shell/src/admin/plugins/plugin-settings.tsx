import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useLeaveGuard } from "@tenon/host";
import {
  Button,
  Card,
  Checkbox,
  coreApi,
  ErrorState,
  FormRow,
  Input,
  Notice,
  Problem,
  Section,
  Select,
  TextArea,
  toast,
} from "@tenon/ui";
import { CircleAlert } from "lucide-react";
import { useState } from "react";
import type { PluginRecord } from "../console-api.ts";
import {
  changedValues,
  controlOf,
  textOf,
  type PluginSettings,
  type SettingSchema,
  type Values,
} from "./settings-form.ts";

const keyOf = (id: string) => ["core", "plugins", id, "settings"] as const;
const pathOf = (id: string) => `plugins/${id}/settings`;

/** The settings that a plugin declares in plugin.json. Shows nothing if there are none. */
export function PluginSettingsSection({ plugin }: { plugin: PluginRecord }) {
  const { data, error, refetch } = useQuery({
    // Another version may declare other settings.
    queryKey: [...keyOf(plugin.id), plugin.version, plugin.generation],
    queryFn: ({ signal }) => coreApi.get<PluginSettings>(pathOf(plugin.id), { signal }),
  });
  // The reason of a plugin whose plugin.json cannot be read is on the page already.
  if (!data && (!error || (error instanceof Problem && error.status === 409))) return null;
  if (data && Object.keys(data.schema?.properties ?? {}).length === 0) return null;
  return (
    <Section title="Settings">
      <Card>
        {data ? (
          <SettingsForm plugin={plugin} settings={data} />
        ) : (
          <ErrorState
            error={error}
            title="Could not load the settings"
            onRetry={() => void refetch()}
          />
        )}
      </Card>
    </Section>
  );
}

function useSave(plugin: PluginRecord, onSaved: () => void) {
  const queries = useQueryClient();
  const store = (values: Values) => coreApi.put<PluginSettings>(pathOf(plugin.id), { values });
  const show = (settings: PluginSettings) =>
    queries.setQueriesData({ queryKey: keyOf(plugin.id) }, settings);
  return useMutation({
    mutationFn: ({ values }: { values: Values; before: PluginSettings }) => store(values),
    onSuccess(settings, { before }) {
      show(settings);
      onSaved();
      // A secret that was replaced cannot be restored.
      const hasSecret = before.secrets.join() !== settings.secrets.join();
      const undo = () =>
        void store(before.values).then(show, () =>
          toast("Could not undo the change", { tone: "danger" }),
        );
      toast("Settings saved", hasSecret ? {} : { action: { label: "Undo", run: undo } });
    },
  });
}

interface SettingsFormProps {
  plugin: PluginRecord;
  settings: PluginSettings;
}

function SettingsForm({ plugin, settings }: SettingsFormProps) {
  // Texts of the controls that were changed.
  const [draft, setDraft] = useState<Readonly<Record<string, string>>>({});
  const { mutate, error, isPending, reset } = useSave(plugin, () => setDraft({}));
  const isChanged = Object.keys(draft).length > 0;
  useLeaveGuard(isChanged, () => true);
  const problem = error instanceof Problem ? error : null;
  const properties = settings.schema?.properties ?? {};
  const stored = Object.fromEntries(settings.errors.map(({ field, message }) => [field, message]));
  const faults = error ? (problem?.fields ?? {}) : stored;
  const ofNoField = Object.keys(faults).filter((key) => !(key in properties));
  const change = (key: string, text: string) => setDraft({ ...draft, [key]: text });
  return (
    <form
      className="t-form shell-settings"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (!isPending) mutate({ values: changedValues(settings, draft), before: settings });
      }}
    >
      {error && (!problem?.errors.length || ofNoField.length > 0) && (
        <Notice tone="danger" icon={CircleAlert}>
          {problem?.message ?? "Could not save the settings. Try again."}
        </Notice>
      )}
      {Object.entries(properties).map(([key, schema]) => (
        <Setting
          key={key}
          name={key}
          schema={schema}
          stored={settings.values[key]}
          isSet={settings.secrets.includes(key)}
          isRequired={settings.schema?.required?.includes(key) ?? false}
          text={draft[key]}
          error={faults[key]}
          onChange={(text) => change(key, text)}
        />
      ))}
      <div className="shell-settings-actions">
        <Button variant="primary" type="submit" busy={isPending} disabled={!isChanged}>
          Save
        </Button>
        {isChanged && (
          <Button
            onClick={() => {
              setDraft({});
              reset();
            }}
          >
            Discard changes
          </Button>
        )}
      </div>
    </form>
  );
}

interface SettingProps {
  name: string;
  schema: SettingSchema;
  stored: unknown;
  /** A secret that has a value. */
  isSet: boolean;
  isRequired: boolean;
  /** What the form has instead of the stored value. */
  text: string | undefined;
  error?: string;
  onChange(text: string): void;
}

function Setting({ name, schema, stored, isSet, isRequired, text, error, onChange }: SettingProps) {
  const control = controlOf(schema);
  const label = schema.title ?? name;
  const fallback = textOf(schema, schema.default);
  const value = text ?? textOf(schema, stored);
  if (control === "flag") {
    const isOn = text ?? textOf(schema, stored ?? schema.default ?? false);
    return (
      <FormRow label={label} hint={schema.description} error={error}>
        <Checkbox
          name={name}
          checked={isOn === "true"}
          onChange={({ target }) => onChange(String(target.checked))}
        />
      </FormRow>
    );
  }
  const common = {
    name,
    value,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  return (
    <FormRow label={label} hint={schema.description} error={error} required={isRequired}>
      {control === "choice" ? (
        <Select {...common}>
          <option value="">{fallback ? `Default (${fallback})` : "Not set"}</option>
          {schema.enum?.map((one) => (
            <option key={textOf(schema, one)} value={textOf(schema, one)}>
              {textOf(schema, one)}
            </option>
          ))}
        </Select>
      ) : control === "long" || control === "json" ? (
        <TextArea
          {...common}
          rows={4}
          spellCheck={control === "long"}
          placeholder={fallback}
          className={control === "json" ? "shell-settings-json" : undefined}
        />
      ) : control === "number" ? (
        <Input
          {...common}
          type="number"
          min={schema.minimum}
          max={schema.maximum}
          step={schema.multipleOf ?? (schema.type === "integer" ? 1 : "any")}
          placeholder={fallback}
        />
      ) : control === "secret" ? (
        <SecretInput {...common} text={text} isSet={isSet} onChange={onChange} />
      ) : (
        <Input
          {...common}
          type={schema.format === "uri" ? "url" : schema.format === "email" ? "email" : "text"}
          autoComplete="off"
          placeholder={fallback}
        />
      )}
    </FormRow>
  );
}

interface SecretInputProps {
  name: string;
  text: string | undefined;
  isSet: boolean;
  onChange(text: string): void;
}

/** A secret is never shown: a new one replaces it, an empty text in the form removes it. */
function SecretInput({ name, text, isSet, onChange }: SecretInputProps) {
  const isRemoved = isSet && text === "";
  return (
    <div className="shell-settings-secret">
      <Input
        name={name}
        type="password"
        autoComplete="new-password"
        value={text ?? ""}
        placeholder={isRemoved ? "Will be removed" : isSet ? "Saved. Type to replace it." : ""}
        onChange={({ target }) => onChange(target.value)}
      />
      {isSet && !isRemoved && <Button onClick={() => onChange("")}>Remove</Button>}
    </div>
  );
}
