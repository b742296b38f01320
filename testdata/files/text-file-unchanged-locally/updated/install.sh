#!/bin/sh
kubectl apply -k .
