{{- define "chagres.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "chagres.selector" -}}
app.kubernetes.io/name: chagres
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- /* What every container keeps to that needs no capability. */ -}}
{{- define "chagres.unprivileged" -}}
runAsNonRoot: true
runAsUser: 65532
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- /* Asked inside of the container, by a shell that shows the token to nobody; without one it sends an empty one. */ -}}
{{- define "chagres.probe" -}}
exec:
  command:
    - /bin/sh
    - -c
    - >-
      printf 'GET /{{ . }} HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\nAuthorization: Bearer %s\r\n\r\n' "$CHAGRES_HTTP_TOKEN" |
      busybox nc 127.0.0.1 7788 | busybox grep -q '^HTTP/1.[01] 200 '
{{- end -}}

{{- define "chagres.probes" -}}
# Fails while the loop that ships hangs; a store that refuses is no reason to start again.
livenessProbe:
  {{- include "chagres.probe" "healthz" | nindent 2 }}
  initialDelaySeconds: 30
  periodSeconds: 30
  timeoutSeconds: 5
  failureThreshold: 4
# Once the archive has accepted.
readinessProbe:
  {{- include "chagres.probe" "readyz" | nindent 2 }}
  periodSeconds: 10
  timeoutSeconds: 5
{{- end -}}

{{- /* A container that ships what another writes into the volume "data", for initContainers: it starts before the others
and stops after them. Takes the values of this chart, name (of the host) and store. */ -}}
{{- define "chagres.sidecar" -}}
- name: chagres
  image: {{ include "chagres.image" .root }}
  restartPolicy: Always
  args:
    - ship
    - /data
    - --to={{ .store }}
    - --host={{ .name }}
    - --state=/state
    - --drain={{ .root.Values.drainSeconds }}s
    - --http=127.0.0.1:7788
  env:
    - name: POD_NAME
      valueFrom:
        fieldRef:
          fieldPath: metadata.name
    {{- with .root.Values.env }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  # The others start once the archive has accepted.
  startupProbe:
    {{- include "chagres.probe" "readyz" | nindent 4 }}
    periodSeconds: 1
    timeoutSeconds: 5
    failureThreshold: 60
  securityContext:
    {{- include "chagres.unprivileged" .root | nindent 4 }}
  resources:
    {{- toYaml .root.Values.resources | nindent 4 }}
  volumeMounts:
    - name: data
      mountPath: /data
      readOnly: true
    - name: chagres-state
      mountPath: /state
{{- end -}}
