{{ .Values.a }}
